"""Tables in text, whatever draws them, as rows of cells that know their lines. Pure: no Django, no database."""
