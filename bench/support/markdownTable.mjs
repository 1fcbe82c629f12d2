/** Returns a Markdown table with padded columns, readable in a terminal too. The first column is text, the others are numbers. */
export const markdownTable = (heads, rows) => {
  const lines = [heads, ...rows].map((cells) => cells.map(String))
  const widths = heads.map((_, column) => Math.max(3, ...lines.map((cells) => cells[column].length)))
  const line = (cells) =>
    `| ${cells.map((cell, column) => (column ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))).join(' | ')} |`
  const rule = `|${widths.map((width, column) => (column ? `${'-'.repeat(width + 1)}:` : '-'.repeat(width + 2))).join('|')}|`
  return [line(lines[0]), rule, ...lines.slice(1).map(line)].join('\n')
}
