"""From a question to an answer that its passages bear out: `pipeline.answer`, or its events as they come."""
