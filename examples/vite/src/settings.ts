/** The service and the project's token. */
export interface Settings {
  host: string
  token: string
}

/**
 * Read from the URL (`?host=…&token=…`), or else from the build (`VITE_TRAILMARK_HOST`, `VITE_TRAILMARK_TOKEN`). Without both,
 * the SDK stays off.
 */
export const readSettings = (search: string, env: ImportMetaEnv): Settings => {
  const query = new URLSearchParams(search)
  return {
    host: query.get('host') || env.VITE_TRAILMARK_HOST || '',
    token: query.get('token') || env.VITE_TRAILMARK_TOKEN || '',
  }
}
