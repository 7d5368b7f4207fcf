"""What begins an item of a list, in Markdown, RST and what was printed. Blanks follow. Pure."""

BULLET = "[-*+•‣⁃◦▪●○■□·]"
NUMBER = r"(?:\d{1,3}|#)[.)]"  # RST counts those of `#.` itself
MARK = rf"(?:{BULLET}|{NUMBER})"
# Where a line is known to begin a paragraph: in running text, a line may begin so by chance.
ANY_MARK = rf"(?:{MARK}|–|\(\d{{1,3}}[.)]|[a-z][.)])"
