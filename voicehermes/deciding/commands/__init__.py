"""How a command is read aloud so that nothing hides, and what makes it risky. Pure."""
