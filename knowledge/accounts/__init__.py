"""How people come in: log-ins, sign-on elsewhere, invitations. What they may do then is in `knowledge.access`."""
