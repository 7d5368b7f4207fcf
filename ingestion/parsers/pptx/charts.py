"""The charts and the SmartArt on slides."""

from pptx.shapes.graphfrm import GraphicFrame

from ingestion.parsers import charts
from ingestion.parsers.archives import read_xml
from ingestion.parsers.writing import Writer


def write_frame(frame: GraphicFrame, writer: Writer) -> None:
    """Nothing for a frame that holds another thing, or whose part is not there."""
    for reference in frame._element.iter(f"{charts.C}chart", f"{charts.DIAGRAM}relIds"):
        identity = charts.part_named_by(reference)
        if identity in frame.part.rels and not frame.part.rels[identity].is_external:
            root = read_xml(frame.part.related_part(identity).blob, writer.path)
            if reference.tag == f"{charts.C}chart":
                write_chart(charts.read_chart(root), writer)
            else:
                writer.items(f"- {line}" for line in charts.read_diagram(root))


def write_chart(chart: charts.Chart, writer: Writer) -> None:
    writer.paragraph("\n".join(chart.titles))
    if chart.is_cut:
        writer.warnings.append(charts.CUT)
    for rows in chart.tables:
        writer.table(rows, header_rows=1)
