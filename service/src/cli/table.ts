/** Formats rows as a text table. */
export const toTable = (heads: readonly string[], rows: readonly (readonly string[])[]): string[] => {
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]!.length)))
  return [heads, ...rows].map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  )
}
