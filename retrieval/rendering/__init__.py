"""The text of documents and answers as it is shown: what pages, programs and terminals share."""
