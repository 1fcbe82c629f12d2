export const CURRENCY = 'EUR'

export const CATEGORIES = [
  {
    slug: 'light',
    name: 'Light',
    line: 'For the hour after the view.',
    text: 'Warm, low and steady. Made to be read by, and to be found by.',
  },
  {
    slug: 'carry',
    name: 'Carry',
    line: 'What you bring, brought well.',
    text: 'Packs and cases that sit close, open wide and dry overnight.',
  },
  {
    slug: 'camp',
    name: 'Camp',
    line: 'A room wherever you stop.',
    text: 'Shelter, warmth and something hot. The three things a night asks for.',
  },
]

/** Prices are whole amounts of `CURRENCY`. The shelves show products in this order. */
export const PRODUCTS = [
  {
    slug: 'ember-lantern',
    category: 'light',
    name: 'Ember Lantern',
    price: 64,
    favorite: true,
    line: 'A candle’s color, forty hours long.',
    text: 'A dimmable lantern in a spun steel cage. The light starts at the color of a fire that is nearly out, because that is when you need it most.',
    facts: [
      ['Runs', '40 h at low'],
      ['Weighs', '310 g'],
      ['Charges', 'USB-C, 2 h'],
    ],
  },
  {
    slug: 'lookout-headlamp',
    category: 'light',
    name: 'Lookout Headlamp',
    price: 48,
    line: 'Far enough to see the next cairn.',
    text: 'One dial, no modes to remember. Turn it with gloves on; it remembers where you left it.',
    facts: [
      ['Reaches', '110 m'],
      ['Weighs', '74 g'],
      ['Keeps out', 'heavy rain'],
    ],
  },
  {
    slug: 'resin-candle',
    category: 'light',
    name: 'Resin Candle',
    price: 16,
    line: 'Larch and smoke, in a tin.',
    text: 'Beeswax with larch resin, poured into a tin that later holds matches, hooks or the last of the chocolate.',
    facts: [
      ['Burns', '22 h'],
      ['Smells of', 'larch, faintly'],
      ['Tin', 'refillable'],
    ],
  },
  {
    slug: 'ridgeline-pack',
    category: 'carry',
    name: 'Ridgeline Pack 32',
    price: 149,
    favorite: true,
    line: 'Three days, if you fold well.',
    text: 'A thirty-two litre pack with one large room, one flat pocket for the map, and a back that breathes. Nothing dangles.',
    facts: [
      ['Holds', '32 l'],
      ['Weighs', '980 g'],
      ['Cloth', 'recycled nylon, waxed'],
    ],
  },
  {
    slug: 'roll-top-tote',
    category: 'carry',
    name: 'Roll-top Tote',
    price: 72,
    line: 'From the market to the boat.',
    text: 'Waxed canvas that closes with a roll and one buckle. Stands by itself when full, and folds flat when not.',
    facts: [
      ['Holds', '18 l'],
      ['Weighs', '540 g'],
      ['Closes', 'roll and buckle'],
    ],
  },
  {
    slug: 'map-case',
    category: 'carry',
    name: 'Map Case',
    price: 28,
    favorite: true,
    line: 'Paper never runs out of battery.',
    text: 'A folding case for one map and one pencil. The window stays clear in the cold and does not crackle.',
    facts: [
      ['Fits', 'sheets up to A4, folded'],
      ['Weighs', '95 g'],
      ['Keeps out', 'drizzle, coffee'],
    ],
  },
  {
    slug: 'tarn-tent',
    category: 'camp',
    name: 'Tarn Tent',
    price: 329,
    line: 'Two people, one good night.',
    text: 'Two poles, six pegs, four minutes. A porch wide enough for boots and for a conversation about tomorrow.',
    facts: [
      ['Sleeps', '2'],
      ['Weighs', '1.9 kg'],
      ['Stands', 'in 4 minutes'],
    ],
  },
  {
    slug: 'enamel-mug',
    category: 'camp',
    name: 'Enamel Mug',
    price: 18,
    favorite: true,
    line: 'Chips with dignity.',
    text: 'Steel and enamel, the way they were. Straight onto the stove, straight into the pack.',
    facts: [
      ['Holds', '350 ml'],
      ['Weighs', '140 g'],
      ['Stove', 'yes'],
    ],
  },
  {
    slug: 'fold-blanket',
    category: 'camp',
    name: 'Fold Blanket',
    price: 95,
    line: 'Wool from hills you can walk on.',
    text: 'Woven from the wool of mountain sheep, washed once, never dyed. The stripes are different sheep.',
    facts: [
      ['Size', '140 × 200 cm'],
      ['Weighs', '1.1 kg'],
      ['Wool', 'undyed'],
    ],
  },
]

export const productBySlug = (slug) => PRODUCTS.find((product) => product.slug === slug)
export const categoryBySlug = (slug) => CATEGORIES.find((category) => category.slug === slug)
export const productsOf = (category) => PRODUCTS.filter((product) => product.category === category.slug)
