/** Elevations in meters, at equal distances along the way. */
export const WALKS = [
  {
    slug: 'larch-ring',
    name: 'The Larch Ring',
    hours: 4,
    kilometres: 11,
    hut: 'Kettle Hut',
    text: 'Round the lake through the oldest larches, and back on the sunny side. Golden in October, quiet always.',
    heights: [940, 960, 1010, 1080, 1150, 1190, 1240, 1230, 1180, 1160, 1100, 1040, 1000, 960, 940],
  },
  {
    slug: 'three-cairns',
    name: 'Three Cairns',
    hours: 7,
    kilometres: 18,
    hut: 'Third Hut',
    text: 'A day along the ridge from cairn to cairn. Leave early, because the last one is worth an hour.',
    heights: [1120, 1240, 1390, 1560, 1710, 1690, 1800, 1920, 1860, 1990, 2110, 2040, 1880, 1650, 1420, 1300],
  },
  {
    slug: 'night-path',
    name: 'The Night Path',
    hours: 3,
    kilometres: 7,
    hut: 'Lamp Room',
    text: 'An easy track that is best after dark. Bring a lantern, and switch it off at the bend.',
    heights: [860, 880, 920, 930, 910, 950, 1000, 1020, 990, 960, 900, 870],
  },
]

export const walkBySlug = (slug) => WALKS.find((walk) => walk.slug === slug)

/** What to pack: for every walk, and for some. */
export const packingFor = (walk) => [
  'Map, folded the right way',
  'Water',
  'Something warm',
  walk.hours > 3 ? 'Bread and cheese' : 'Chocolate',
  ...(walk.slug === 'night-path' ? ['Ember Lantern', 'Lookout Headlamp'] : []),
  ...(walk.hours > 5 ? ['Fold Blanket', 'Enamel Mug'] : []),
]
