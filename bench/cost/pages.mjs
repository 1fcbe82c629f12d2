import { basename, dirname } from 'node:path'
import { optionsOf } from '../pages/options.js'

const DEPTH = 20
const LEAVES = 20
const SMALL = 2_000
const LARGE = 100_000

const html = (head, body) => `<!doctype html><html><head><meta charset="utf-8"><title>Bench</title>
${head}
</head><body>${body}</body></html>`

/** The import, bundled by Vite. */
const module = ({ name }, collector) =>
  `<script type="module">import { start, capture } from '/bundles/${name}/entry.js'; window.capture = capture; start('${collector}')</script>`

/** The script that is published for a script tag, started by its global object. */
const classic = ({ name, script, global }, collector, options) =>
  global
    ? `<script src="/scripts/${name}/${basename(script)}"></script>
<script>${global}.init('bench-token', ${JSON.stringify({ ...optionsOf(collector), ...options })}); window.capture = (name, properties) => ${global}.capture(name, properties)</script>`
    : '<script>window.capture = () => {}</script>'

const PLAIN = '<h1>Bench</h1><p>A page with a little on it.</p><button>Buy</button>'

/** Returns elements with the usual attributes, including 20 buttons at depth 20 below the body. */
const tree = (nodes) => {
  const branch = (leaf) => {
    const inner = `<button class="btn btn-primary leaf" type="button">Add to cart ${leaf}</button>`
    return Array.from({ length: DEPTH - 1 }).reduce(
      (html, _, level) => `<div class="level-${level} flex items-center" data-level="${level}">${html}</div>`,
      inner,
    )
  }
  const rest = nodes - LEAVES * DEPTH
  return (
    Array.from({ length: LEAVES }, (_, leaf) => branch(leaf)).join('') +
    Array.from({ length: rest }, (_, index) => `<p class="row">Row ${index}</p>`).join('')
  )
}

/** Returns the pages of an SDK: HTML by path. `inline`: an inline script that starts it. */
export const pagesOf = (sdk, collector, inline = '') => {
  const deadClicks = { capture_dead_clicks: true }
  return {
    [`/${sdk.name}/`]: html(module(sdk, collector), PLAIN),
    [`/${sdk.name}/inline`]: html('', PLAIN + inline),
    [`/${sdk.name}/tree`]: html(module(sdk, collector), tree(SMALL)),
    [`/${sdk.name}/script`]: html(classic(sdk, collector), PLAIN),
    [`/${sdk.name}/small`]: html(classic(sdk, collector, deadClicks), tree(SMALL)),
    [`/${sdk.name}/large`]: html(classic(sdk, collector, deadClicks), tree(LARGE)),
  }
}

/** Returns the folders of the published scripts by path: an SDK may load others from there. */
export const scriptFolders = (sdks) =>
  Object.fromEntries(sdks.flatMap(({ name, script }) => (script ? [[`/scripts/${name}/`, dirname(script)]] : [])))
