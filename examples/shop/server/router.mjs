/** Returns a pattern for a path such as `/product/:slug`: `:name` matches one segment, a final `/*` any number of segments. */
const toPattern = (path) => new RegExp(`^${path.replace(/\/\*$/, '(?:/.*)?').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)

const decoded = (segment) => {
  try {
    return decodeURIComponent(segment)
  } catch {
    // A path with a broken escape does not exist.
    return ''
  }
}

/**
 * Finds the route of a request in `[method, path, page]` rows: `{ page, params }`, or undefined. HEAD counts as GET.
 */
export const createRouter = (rows) => {
  const routes = rows.map(([method, path, page]) => ({ method, pattern: toPattern(path), page }))
  return (method, pathname) => {
    for (const route of routes) {
      const match = route.method === (method === 'HEAD' ? 'GET' : method) && route.pattern.exec(pathname)
      if (match) {
        const params = Object.fromEntries(
          Object.entries(match.groups ?? {}).map(([name, segment]) => [name, decoded(segment)]),
        )
        return { page: route.page, params }
      }
    }
    return undefined
  }
}
