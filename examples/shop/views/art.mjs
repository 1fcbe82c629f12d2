import { raw } from '../server/html.mjs'

// Drawn by hand, on 240 × 240. Colors are classes (`f-` fills, `s-` strokes) that shop.css sets for day and night.
const DRAWINGS = {
  'ember-lantern': `
    <circle class="f-glow" cx="120" cy="134" r="96" opacity=".28"/><circle class="f-glow" cx="120" cy="134" r="68" opacity=".4"/>
    <path class="s-ink" d="M82 88C82 30 158 30 158 88" fill="none" stroke-width="5" stroke-linecap="round"/>
    <rect class="f-deep" x="106" y="58" width="28" height="20" rx="8"/><path class="f-forest" d="M84 92l10-20h52l10 20z"/>
    <rect class="f-cream" x="86" y="92" width="68" height="84" rx="10"/><rect class="f-glow" x="86" y="92" width="68" height="84" rx="10" opacity=".55"/>
    <path class="f-amber" d="M120 106c20 24 20 48 0 58-20-10-20-34 0-58z"/><path class="f-cream" d="M120 130c10 12 10 24 0 30-10-6-10-18 0-30z"/>
    <path class="s-forest" d="M98 92v84M142 92v84M84 134h72" fill="none" stroke-width="4"/>
    <path class="f-forest" d="M78 176h84l6 22H72z"/><rect class="f-deep" x="66" y="196" width="108" height="8" rx="4"/>`,
  'lookout-headlamp': `
    <path class="f-glow" d="M120 134L20 52v164z" opacity=".35"/><path class="f-glow" d="M120 134L50 84v100z" opacity=".45"/>
    <path class="s-moss" d="M150 92c52-34 72 4 62 42-8 34-34 48-66 36" fill="none" stroke-width="20" stroke-linecap="round"/>
    <path class="s-forest" d="M150 92c52-34 72 4 62 42-8 34-34 48-66 36" fill="none" stroke-width="3" stroke-dasharray="7 7"/>
    <rect class="f-forest" x="86" y="84" width="82" height="96" rx="24"/><rect class="f-deep" x="146" y="112" width="24" height="40" rx="8"/>
    <circle class="f-deep" cx="118" cy="132" r="34"/><circle class="f-glow" cx="118" cy="132" r="26"/><circle class="f-cream" cx="118" cy="132" r="14"/>
    <path class="s-amber" d="M158 122v20" stroke-width="4" stroke-linecap="round"/>`,
  'resin-candle': `
    <circle class="f-glow" cx="120" cy="76" r="58" opacity=".32"/><circle class="f-glow" cx="120" cy="76" r="36" opacity=".45"/>
    <path class="f-amber" d="M120 42c18 22 18 42 0 52-18-10-18-30 0-52z"/><path class="f-cream" d="M120 66c8 10 8 18 0 23-8-5-8-13 0-23z"/>
    <path class="s-ink" d="M120 90v18" stroke-width="4" stroke-linecap="round"/>
    <path class="f-rust" d="M62 114h116v74c0 12-26 20-58 20s-58-8-58-20z"/><ellipse class="f-deep" cx="120" cy="114" rx="58" ry="15"/><ellipse class="f-cream" cx="120" cy="114" rx="50" ry="11"/>
    <rect class="f-cream" x="84" y="140" width="72" height="44" rx="4"/><path class="s-forest" d="M120 146v30M112 156l8-8 8 8M108 166l12-10 12 10M106 176l14-10 14 10" fill="none" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>`,
  'ridgeline-pack': `
    <path class="s-deep" d="M98 56c0-26 44-26 44 0" fill="none" stroke-width="8"/><path class="s-deep" d="M66 96c-18 20-18 60-6 84M174 96c18 20 18 60 6 84" fill="none" stroke-width="11" stroke-linecap="round"/>
    <rect class="f-forest" x="66" y="56" width="108" height="142" rx="34"/>
    <path class="f-moss" d="M66 92c0-24 16-38 38-38h32c22 0 38 14 38 38v18c-30 14-78 14-108 0z"/>
    <path class="s-deep" d="M96 104v30M144 104v30" stroke-width="6"/><rect class="f-amber" x="90" y="122" width="12" height="14" rx="3"/><rect class="f-amber" x="138" y="122" width="12" height="14" rx="3"/>
    <rect class="f-deep" x="84" y="142" width="72" height="46" rx="14"/><path class="s-moss" d="M94 154h52" stroke-width="3" stroke-dasharray="5 5"/>
    <rect class="f-rust" x="56" y="188" width="128" height="24" rx="12"/><circle class="f-cream" cx="68" cy="200" r="7"/><circle class="f-cream" cx="172" cy="200" r="7"/><path class="s-deep" d="M92 187v26M148 187v26" stroke-width="5"/>`,
  'roll-top-tote': `
    <path class="s-rust" d="M84 86c0-58 72-58 72 0" fill="none" stroke-width="9"/>
    <path class="f-amber" d="M56 92h128l-10 106c-1 7-6 10-12 10H78c-6 0-11-3-12-10z"/><path class="f-rust" d="M63 164h114l-4 36c-1 5-5 8-11 8H78c-6 0-10-3-11-8z"/>
    <rect class="f-cream" x="50" y="76" width="140" height="26" rx="13"/><path class="s-ink" d="M62 89h116" stroke-width="3" stroke-linecap="round" opacity=".35"/>
    <rect class="f-deep" x="113" y="72" width="14" height="82" rx="4"/><rect class="f-cream" x="108" y="124" width="24" height="18" rx="4"/><rect class="f-deep" x="114" y="129" width="12" height="8" rx="2"/>`,
  'map-case': `
    <g transform="rotate(-7 120 128)"><path class="f-deep" d="M40 66h160a8 8 0 0 1 8 8v112a8 8 0 0 1-8 8H40a8 8 0 0 1-8-8V74a8 8 0 0 1 8-8z"/>
    <path class="f-cream" d="M46 80l50 10v96l-50-12z"/><path class="f-paper" d="M96 90l50-10v92l-50 14z"/><path class="f-cream" d="M146 80l48 10v92l-48-10z"/>
    <path class="s-moss" d="M50 104c20-10 30 20 46 8s36-22 50-8 30 4 46 0M50 128c20-14 34 14 48 4s30-18 46-2 34 6 48-2M50 152c24-10 30 16 46 8s34-14 50 0 30 10 46 4" fill="none" stroke-width="2.5"/>
    <path class="s-rust" d="M62 160c18-4 26-20 44-24s34 6 42-12 16-16 26-18" fill="none" stroke-width="4" stroke-linecap="round" stroke-dasharray="2 9"/></g>
    <path class="f-rust" d="M170 44c18 0 30 13 30 29 0 22-30 45-30 45s-30-23-30-45c0-16 12-29 30-29z"/><circle class="f-cream" cx="170" cy="74" r="11"/>`,
  'tarn-tent': `
    <path class="f-moss" d="M8 194c40-14 184-14 224 0v14H8z"/>
    <path class="f-amber" d="M120 56L214 198H26z"/><path class="f-rust" d="M120 56L214 198h-38z"/><path class="f-deep" d="M112 92L152 198H76z"/>
    <path class="f-cream" d="M112 92l-36 106H58z"/><path class="f-glow" d="M112 128l22 70H92z" opacity=".75"/>
    <path class="s-ink" d="M120 56l6-14M120 56l-6-14M26 198L10 206M214 198l16 8" stroke-width="4" stroke-linecap="round"/>`,
  'enamel-mug': `
    <path class="s-moss" d="M92 56c-12-12 12-18 0-32M120 60c-12-12 12-18 0-32M148 56c-12-12 12-18 0-32" fill="none" stroke-width="5" stroke-linecap="round" opacity=".7"/>
    <path class="s-forest" d="M164 108c46-10 46 62-4 58" fill="none" stroke-width="14"/>
    <path class="f-cream" d="M62 82h108v98c0 16-12 26-28 26H90c-16 0-28-10-28-26z"/><path class="f-paper" d="M142 82h28v98c0 16-12 26-28 26h-8c10-6 8-20 8-30z"/>
    <ellipse class="f-forest" cx="116" cy="82" rx="56" ry="13"/><ellipse class="f-rust" cx="116" cy="83" rx="47" ry="8"/>
    <path class="s-forest" d="M84 168l24-34 16 20 12-14 20 28" fill="none" stroke-width="5" stroke-linejoin="round" stroke-linecap="round"/><circle class="f-amber" cx="138" cy="124" r="7"/>`,
  'fold-blanket': `
    <path class="f-rust" d="M40 158h160v36c0 8-6 12-12 12H52c-6 0-12-4-12-12z"/><path class="f-cream" d="M40 170h160v8H40zM40 186h160v6H40z"/>
    <path class="f-cream" d="M46 112h148c8 0 12 6 12 14v20c0 8-4 14-12 14H46c-8 0-12-6-12-14v-20c0-8 4-14 12-14z"/><path class="f-moss" d="M34 124h172v8H34zM34 140h172v6H34z"/>
    <path class="f-forest" d="M56 66h128c10 0 16 6 16 16v18c0 8-6 14-14 14H54c-8 0-14-6-14-14V82c0-10 6-16 16-16z"/><path class="f-amber" d="M40 84h160v7H40zM40 98h160v4H40z"/>
    <path class="s-cream" d="M52 206v12M68 206v12M84 206v12M100 206v12M116 206v12M132 206v12M148 206v12M164 206v12M180 206v12" stroke-width="4" stroke-linecap="round"/>`,
}

/** The picture of a product. Decorative: it is next to the product's name. */
export const productArt = ({ slug, category }) =>
  raw(`<svg class="art art-${category}" viewBox="0 0 240 240" aria-hidden="true" focusable="false">
    <ellipse class="f-shade" cx="120" cy="210" rx="86" ry="9"/>${DRAWINGS[slug]}</svg>`)

/** The shop's logo: a larch inside a lantern. */
export const mark = raw(`<svg class="mark" viewBox="0 0 40 44" aria-hidden="true" focusable="false">
  <path class="s-sign" d="M12 12C12 0 28 0 28 12" fill="none" stroke-width="2.5"/><rect class="s-sign" x="7" y="12" width="26" height="27" rx="5" fill="none" stroke-width="2.5"/>
  <path class="f-lit" d="M20 16l4.5 6h-2.6l4.1 5.5h-3l4 5.5h-14l4-5.5h-3l4.1-5.5h-2.6z"/><path class="s-sign" d="M20 33v4M4 42h32" fill="none" stroke-width="2.5" stroke-linecap="round"/></svg>`)

const larch = (x, y, size) =>
  `<path d="M${x} ${y}l${0.16 * size} ${0.3 * size}h${-0.07 * size}l${0.15 * size} ${0.28 * size}h${-0.08 * size}l${0.16 * size} ${0.32 * size}h${-0.28 * size}v${0.14 * size}h${-0.08 * size}v${-0.14 * size}h${-0.28 * size}l${0.16 * size} ${-0.32 * size}h${-0.08 * size}l${0.15 * size} ${-0.28 * size}h${-0.07 * size}z"/>`

const STARS = [
  [140, 70, 2],
  [260, 130, 1.5],
  [390, 60, 2],
  [520, 150, 1.5],
  [640, 50, 1.5],
  [760, 110, 2],
  [850, 40, 1.5],
  [960, 170, 1.5],
  [1290, 60, 2],
  [1350, 190, 1.5],
  [80, 190, 1.5],
  [450, 220, 1.5],
  [1230, 150, 1.5],
]

/** The valley behind the headline: late afternoon, or a clear night in dark mode. */
export const valley =
  raw(`<svg class="valley" viewBox="0 0 1440 640" preserveAspectRatio="xMidYMax slice" aria-hidden="true" focusable="false">
  <defs>
    <linearGradient id="sky" x2="0" y2="1"><stop class="v-sky" offset=".05"/><stop class="v-low" offset=".62"/></linearGradient>
    <radialGradient id="glow"><stop class="v-glow" offset="0" stop-opacity=".75"/><stop class="v-glow" offset=".35" stop-opacity=".28"/><stop class="v-glow" offset="1" stop-opacity="0"/></radialGradient>
    <radialGradient id="halo"><stop class="v-halo" offset=".3" stop-opacity=".55"/><stop class="v-halo" offset="1" stop-opacity="0"/></radialGradient>
  </defs>
  <rect fill="url(#sky)" width="1440" height="640"/>
  <g class="v-stars">${STARS.map(([x, y, r]) => `<circle cx="${x}" cy="${y}" r="${r}"/>`).join('')}</g>
  <circle fill="url(#halo)" cx="1120" cy="176" r="190"/><circle class="v-sun" cx="1120" cy="176" r="58"/>
  <path class="v-far" d="M0 388l110-44 96 34 120-62 130 58 96-36 130 66 118-74 92 38 196-172 150 150 92-48 110 62v400H0z"/>
  <path class="v-snow" d="M1088 196l-62 55 34-12 22 20 24-24 22 18 20-20 8 9z"/>
  <path class="v-mid" d="M0 446l150-60 130 54 180-92 150 84 140-56 190 92 170-86 150 74 180-48v240H0z"/>
  <path class="v-near" d="M0 498c160-52 300-36 430-6s260 40 420-8 380-44 590 8v160H0z"/>
  <g class="v-trees">${[
    [60, 420, 120],
    [118, 442, 96],
    [176, 414, 130],
    [250, 454, 80],
    [556, 452, 72],
    [606, 436, 100],
    [660, 456, 74],
    [1330, 408, 132],
    [1396, 432, 110],
    [1268, 446, 88],
  ]
    .map(([x, y, size]) => larch(x, y, size))
    .join('')}</g>
  <path class="v-ground" d="M0 566c220-56 420-28 640-8s500 18 800-32v124H0z"/>
  <path class="v-path" d="M960 640c-6-22 30-32 72-40 58-11 92-18 82-32-8-11-40-12-24-24 8-6 22-8 34-9-10 4-20 8-16 14 6 8 40 12 40 26 0 18-44 22-84 32-32 8-46 18-42 33z"/>
  <g transform="translate(826 462) scale(1.3)"><circle fill="url(#glow)" cx="24" cy="52" r="150"/>
    <path class="v-rock" d="M-26 104c4-12 20-18 48-18s50 6 56 18z"/>
    <path class="v-iron-line" d="M8 24C8-6 40-6 40 24" fill="none" stroke-width="3"/><path class="v-iron" d="M6 28l6-10h24l6 10zM4 76h40l4 14H0z"/>
    <rect class="v-glass" x="7" y="28" width="34" height="48" rx="4"/><path class="v-flame" d="M24 36c10 12 10 26 0 34-10-8-10-22 0-34z"/><path class="v-iron-line" d="M14 28v48M34 28v48" fill="none" stroke-width="2.5"/></g>
</svg>`)

/** Small drawings for the three shelves on the home page. */
export const shelfArt = (category) =>
  productArt(
    {
      light: { slug: 'ember-lantern', category },
      carry: { slug: 'ridgeline-pack', category },
      camp: { slug: 'tarn-tent', category },
    }[category],
  )

const ICONS = {
  basket: '<path d="M3 8h18l-2 11H5zM8 8l4-5 4 5"/>',
  person: '<circle cx="12" cy="8" r="4"/><path d="M4 21c0-9 16-9 16 0"/>',
  arrow: '<path d="M4 12h15M13 6l6 6-6 6"/>',
  check: '<path d="M4 12.5l5 5L20 6.5"/>',
  mountain: '<path d="M2 20L9 7l4 7 3-5 6 11z"/>',
  mend: '<path d="M21 3L10 14"/><path d="M18 4.5L19.5 6"/><path d="M10 14c-5 0-8 6-4 6.5s3-7 8-5 4 5 7 3"/>',
  leaf: '<path d="M4 20C4 8 12 4 21 4c0 10-6 16-15 14M4 20c3-6 6-8 10-10"/>',
}

export const icon = (name) =>
  raw(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${ICONS[name]}</svg>`)
