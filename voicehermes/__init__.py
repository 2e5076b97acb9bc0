"""Talk to a Hermes agent: a voice daemon for hermes-webui."""

__version__ = "0.1.0"
