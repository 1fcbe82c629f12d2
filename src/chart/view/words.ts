/** The words of a chart, besides error messages. A page may replace them, such as by a translation. */
export const WORDS = {
  from: 'From',
  to: 'To',
  menu: 'Download',
  csv: 'CSV file',
  png: 'PNG picture',
  empty: 'There is no data for this chart.',
  loading: 'Loading…',
  /** Name of a chart without a title. */
  chart: 'Chart',
  /** How to read the plot with a keyboard. */
  hint: 'Arrow keys move between the values.',
  /** `{shown}` and `{all}` are numbers. */
  series: 'The {shown} largest of {all} series are drawn. The table and the CSV file have all.',
  rows: 'The first {shown} of {all} rows are shown. The CSV file has all.',
}

export type Words = typeof WORDS

/** Replaces the numbers in words. */
export const withNumbers = (text: string, shown: string, all: string): string =>
  text.replaceAll('{shown}', shown).replaceAll('{all}', all)
