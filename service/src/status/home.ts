const STYLE = `
  :root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif }
  body { max-width: 40rem; margin: 12vh auto; padding: 0 1.5rem }
  h1 { font-size: 1.6rem; margin: 0 0 0.5rem }
  dt { font-weight: 600; margin-top: 1rem }
  dd { margin: 0 }
  code { font: 0.9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
`

const HTML = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Trailmark</title>
<style>${STYLE}</style>
<h1>Trailmark is running</h1>
<p>Use this URL as <code>api_host</code>. Pages send their events here.</p>
<dl>
  <dt>Add it to a site</dt>
  <dd><b>Setup</b> in the console shows the snippet of the project for the page's &lt;head&gt;, and the code for frameworks.</dd>
  <dt>Open the console</dt>
  <dd><code>trailmark console</code> prints a link that signs you in. The console is at <a href="console/"><code>console/</code></a>, on the hosts in <code>TRAILMARK_CONSOLE_HOSTS</code> only: on localhost unless the operator names others.</dd>
  <dt>Read the docs</dt>
  <dd><a href="docs/"><code>docs/</code></a> has guides and the reference, for people and for agents.</dd>
  <dt>Query the data</dt>
  <dd>The API is at <code>/api/projects/…</code> and requires a personal API key. <a href="api/openapi.json"><code>api/openapi.json</code></a> describes it.</dd>
  <dt>Check its state</dt>
  <dd><a href="_health"><code>_health</code></a> responds with 200 while the process is running, <a href="_readiness"><code>_readiness</code></a> while it can store and query events.</dd>
</dl>
</html>
`

/** The page at `/` for people who open the service's URL. Shows no project and loads nothing. */
export const HOME_PAGE = {
  body: HTML,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'cache-control': 'no-cache',
    vary: 'origin, accept',
  },
} as const
