"""What a decision is read as, and what an answer to it means. Pure. Refusal is the default."""
