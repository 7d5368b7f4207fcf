"""From a question to an answer that its passages bear out: `pipeline.answer`, or its events as they come.

`pipeline` reads from top to bottom. What it does in turn:

- asked: `followups` (what goes on from what was said above), `pasted` (what was pasted beside a question)
- rested on: `grounds`, made of `passages` and their `evidence` (of the `editions` asked for), of a model's
  `reader_scores`, and of what `fetching` brings
- written: `drafting` by `prompt` or, where an endpoint offers it, `structured`; or `quoting`, the documents' own words
- held to them: `sentences`, `citing` (other notations of a citation), `marks`, `citations`, `checking`
- said: `conclusions`, in the words of `phrases`; set by `typesetting`
- kept: `ledger`; what may be shown of it `revocation`, and what it would say today `replay`, by `changes`

The `ledger` counts how many one asker has written at a time; their `drafts` are saved once a second. Who asks hears
`events`, may come back (`live`) and go (`listening`).
"""
