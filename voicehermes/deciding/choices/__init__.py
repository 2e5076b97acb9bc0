"""How an answer names one of the choices of a question, turns one away, or hesitates. Pure."""
