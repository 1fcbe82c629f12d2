const NODES = 2000
const DEPTH = 20
const LEAVES = 20

const html = (sdk, collector, body) => `<!doctype html><html><head><meta charset="utf-8"><title>Bench</title>
<script type="module">import { start, capture } from '/bundles/${sdk}/entry.js'; window.capture = capture; start('${collector}')</script>
</head><body>${body}</body></html>`

const PLAIN = '<h1>Bench</h1><p>A page with a little on it.</p><button>Buy</button>'

/** Returns 2,000 elements with the usual attributes, including 20 buttons at depth 20 below the body. */
const tree = () => {
  const branch = (leaf) => {
    const inner = `<button class="btn btn-primary leaf" type="button">Add to cart ${leaf}</button>`
    return Array.from({ length: DEPTH - 1 }).reduce(
      (html, _, level) => `<div class="level-${level} flex items-center" data-level="${level}">${html}</div>`,
      inner,
    )
  }
  const rest = NODES - LEAVES * DEPTH
  return (
    Array.from({ length: LEAVES }, (_, leaf) => branch(leaf)).join('') +
    Array.from({ length: rest }, (_, index) => `<p class="row">Row ${index}</p>`).join('')
  )
}

/** Returns the pages of an SDK: HTML by path. */
export const pagesOf = (sdk, collector) => ({
  [`/${sdk}/`]: html(sdk, collector, PLAIN),
  [`/${sdk}/tree`]: html(sdk, collector, tree()),
})
