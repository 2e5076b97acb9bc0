"""An embedded Hermes WebUI on loopback, for the demo and for tests. Everything it says is scripted.

A client cannot tell it from the real one where the protocol of hermes-webui is concerned:
observations of hermes-webui exp-v0.52.262 with hermes-agent 0.19.0 are its specification.
"""
