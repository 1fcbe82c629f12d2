/** Properties of every page. */
export interface PageProps {
  /** Parameters of the page's path, decoded. */
  readonly params: Readonly<Record<string, string>>
}
