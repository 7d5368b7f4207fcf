"""Which language a text is in: `documents` labels files, `questions` tells those in which answers are written; and the
words of grammar of these, `little_words`."""
