"""The pages on which documents are searched, asked, read and measured."""
