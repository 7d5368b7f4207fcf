"""Snapshots that travel: a zip that says everything a snapshot holds, and proves it.

    manifest.json      format, profile, embedding spaces, counts, the SHA-256 of every other member, the manifest hash
    tree.json          the files with their outlines, one file a line, in order of path
    nodes.jsonl        their sections with their text, one a line: a file's sections make up its text
    chunks.ndjson      their chunks, one a line: the source of truth, vectors and postings follow from them
    summaries.jsonl    the sections' summaries that the snapshot has, one a line, each with its method
    symbols.jsonl      what code defines, one a line
    references.jsonl   what code refers to, one a line
    vectors.f32        optional: float32, little-endian, row i is the vector of line i of chunks.ndjson
    summary_vectors.f32   with them: row i is the vector of line i of summaries.jsonl
    code_vectors.f32      with them, where code has a model of its own: row i is of the i-th chunk that is code
    part_counts.u32       with them, where passages were embedded in parts: uint32, little-endian, row i is how many
                          parts line i of chunks.ndjson has; 0: it is one part
    part_vectors.f32      with it: the vectors of all these parts, in order; a chunk's own vector is their mean
    originals/<sha256> optional: the files' bytes

Names, order, dates and encodings are fixed, so one snapshot has one archive. The zip's comment is the SHA-256 of all
bytes before it: no byte can change unseen. Members say nothing of database ids, of where the files came from, or of any
credential. What follows from the rest is made again: postings, reading order, near twins.
"""
