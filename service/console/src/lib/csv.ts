/** Spreadsheets run text that begins like this as a formula. */
const FORMULA = /^[=+\-@\t\r]/

const toCell = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : `${value as string | number | boolean}`
  const safe = typeof value !== 'number' && FORMULA.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns rows as CSV (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe in front. */
export const toCsv = (head: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [head, ...rows].map((row) => row.map(toCell).join(',')).join('\r\n')

/** Saves data as a file. */
export const downloadBlob = (fileName: string, data: Blob): void => {
  const url = URL.createObjectURL(data)
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Saves text as a file. */
export const downloadText = (fileName: string, text: string, type: string): void =>
  downloadBlob(fileName, new Blob([text], { type }))

export const downloadCsv = (title: string, head: readonly string[], rows: readonly (readonly unknown[])[]): void => {
  const name =
    title
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '')
      .toLowerCase() || 'data'
  downloadText(`${name}.csv`, toCsv(head, rows), 'text/csv;charset=utf-8')
}
