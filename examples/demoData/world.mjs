// How the visitors of the generated shop behave. Numbers are weights.

/** Where visits come from. `share`: the weight. */
export const ARRIVALS = [
  [{ referrer: '' }, 34],
  [{ referrer: 'https://www.google.com/' }, 30],
  [{ referrer: 'https://www.bing.com/' }, 5],
  [{ referrer: 'https://duckduckgo.com/' }, 4],
  [{ referrer: 'https://www.reddit.com/r/camping/' }, 5],
  [{ referrer: 'https://news.ycombinator.com/' }, 2],
  [
    {
      referrer: 'https://l.instagram.com/',
      utm_source: 'instagram',
      utm_medium: 'social',
      utm_campaign: 'autumn-shelf',
    },
    7,
  ],
  [{ referrer: '', utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'november-walks' }, 6],
  [
    {
      referrer: 'https://www.google.com/',
      utm_source: 'google',
      utm_medium: 'cpc',
      utm_campaign: 'lanterns',
      gclid: 'demo',
    },
    5,
  ],
  [{ referrer: 'https://slow-hiker.example/' }, 2],
]

export const COUNTRIES = [
  [
    {
      $geoip_country_code: 'DE',
      $geoip_subdivision_1_name: 'Bavaria',
      $geoip_city_name: 'Munich',
      $timezone: 'Europe/Berlin',
      $browser_language: 'de-DE',
    },
    24,
  ],
  [
    {
      $geoip_country_code: 'DE',
      $geoip_subdivision_1_name: 'Berlin',
      $geoip_city_name: 'Berlin',
      $timezone: 'Europe/Berlin',
      $browser_language: 'de-DE',
    },
    12,
  ],
  [
    {
      $geoip_country_code: 'US',
      $geoip_subdivision_1_name: 'Oregon',
      $geoip_city_name: 'Portland',
      $timezone: 'America/Los_Angeles',
      $browser_language: 'en-US',
    },
    18,
  ],
  [
    {
      $geoip_country_code: 'US',
      $geoip_subdivision_1_name: 'Vermont',
      $geoip_city_name: 'Burlington',
      $timezone: 'America/New_York',
      $browser_language: 'en-US',
    },
    9,
  ],
  [
    {
      $geoip_country_code: 'GB',
      $geoip_subdivision_1_name: 'Scotland',
      $geoip_city_name: 'Edinburgh',
      $timezone: 'Europe/London',
      $browser_language: 'en-GB',
    },
    11,
  ],
  [
    {
      $geoip_country_code: 'NO',
      $geoip_subdivision_1_name: 'Vestland',
      $geoip_city_name: 'Bergen',
      $timezone: 'Europe/Oslo',
      $browser_language: 'nb-NO',
    },
    6,
  ],
  [
    {
      $geoip_country_code: 'FR',
      $geoip_subdivision_1_name: 'Savoie',
      $geoip_city_name: 'Chambéry',
      $timezone: 'Europe/Paris',
      $browser_language: 'fr-FR',
    },
    8,
  ],
  [
    {
      $geoip_country_code: 'JP',
      $geoip_subdivision_1_name: 'Nagano',
      $geoip_city_name: 'Matsumoto',
      $timezone: 'Asia/Tokyo',
      $browser_language: 'ja-JP',
    },
    5,
  ],
  [
    {
      $geoip_country_code: 'CA',
      $geoip_subdivision_1_name: 'British Columbia',
      $geoip_city_name: 'Vancouver',
      $timezone: 'America/Vancouver',
      $browser_language: 'en-CA',
    },
    7,
  ],
]

export const DEVICES = [
  [
    {
      $device_type: 'Desktop',
      $os: 'Mac OS X',
      $browser: 'Safari',
      $browser_version: 26,
      $viewport_width: 1512,
      $viewport_height: 860,
    },
    14,
  ],
  [
    {
      $device_type: 'Desktop',
      $os: 'Mac OS X',
      $browser: 'Chrome',
      $browser_version: 156,
      $viewport_width: 1440,
      $viewport_height: 790,
    },
    16,
  ],
  [
    {
      $device_type: 'Desktop',
      $os: 'Windows',
      $browser: 'Chrome',
      $browser_version: 156,
      $viewport_width: 1920,
      $viewport_height: 950,
    },
    18,
  ],
  [
    {
      $device_type: 'Desktop',
      $os: 'Windows',
      $browser: 'Microsoft Edge',
      $browser_version: 156,
      $viewport_width: 1536,
      $viewport_height: 730,
    },
    7,
  ],
  [
    {
      $device_type: 'Desktop',
      $os: 'Linux',
      $browser: 'Firefox',
      $browser_version: 147,
      $viewport_width: 1600,
      $viewport_height: 880,
    },
    4,
  ],
  [
    {
      $device_type: 'Mobile',
      $os: 'iOS',
      $browser: 'Mobile Safari',
      $browser_version: 26,
      $viewport_width: 393,
      $viewport_height: 659,
    },
    22,
  ],
  [
    {
      $device_type: 'Mobile',
      $os: 'Android',
      $browser: 'Chrome',
      $browser_version: 156,
      $viewport_width: 412,
      $viewport_height: 732,
    },
    15,
  ],
  [
    {
      $device_type: 'Tablet',
      $os: 'iOS',
      $browser: 'Mobile Safari',
      $browser_version: 26,
      $viewport_width: 820,
      $viewport_height: 1080,
    },
    4,
  ],
]

const PRODUCTS = [
  'ember-lantern',
  'larch-flask',
  'moss-blanket',
  'ridge-mug',
  'trail-knife',
  'wool-cap',
  'fog-whistle',
  'stove-twig',
  'field-notes',
]

/** Pages, and which come next. `null` ends the visit. */
export const PAGES = {
  '/': {
    title: 'Larch & Lantern',
    next: [
      ['/category/light', 24],
      ['/category/carry', 15],
      ['/category/camp', 14],
      ['/planner', 9],
      ['/journal/slow-walks', 8],
      [null, 38],
    ],
  },
  '/category/light': {
    title: 'Light',
    next: [
      ['/product/ember-lantern', 30],
      ['/product/fog-whistle', 10],
      ['/', 8],
      [null, 32],
    ],
  },
  '/category/carry': {
    title: 'Carry',
    next: [
      ['/product/larch-flask', 22],
      ['/product/trail-knife', 12],
      ['/product/field-notes', 9],
      [null, 34],
    ],
  },
  '/category/camp': {
    title: 'Camp',
    next: [
      ['/product/moss-blanket', 21],
      ['/product/stove-twig', 12],
      ['/product/ridge-mug', 16],
      [null, 33],
    ],
  },
  '/planner': {
    title: 'Trip planner',
    next: [
      ['/category/camp', 18],
      ['/', 9],
      [null, 40],
    ],
  },
  '/journal/slow-walks': {
    title: 'Slow walks',
    next: [
      ['/category/light', 12],
      ['/', 10],
      [null, 55],
    ],
  },
  '/journal/packing-light': {
    title: 'Packing light',
    next: [
      ['/category/carry', 16],
      [null, 54],
    ],
  },
  ...Object.fromEntries(
    PRODUCTS.map((name) => [
      `/product/${name}`,
      {
        title: name.replace('-', ' '),
        product: name,
        next: [
          ['/basket', 22],
          ['/', 14],
          ['/category/light', 8],
          ['/category/camp', 8],
          [null, 38],
        ],
      },
    ]),
  ),
  '/basket': {
    title: 'Basket',
    next: [
      ['/checkout', 55],
      ['/category/light', 12],
      [null, 30],
    ],
  },
  '/checkout': {
    title: 'Checkout',
    next: [
      ['/thank-you', 68],
      ['/basket', 8],
      [null, 24],
    ],
  },
  '/thank-you': {
    title: 'Thank you',
    next: [
      ['/', 14],
      [null, 80],
    ],
  },
}

export const ENTRIES = [
  ['/', 46],
  ['/journal/slow-walks', 14],
  ['/journal/packing-light', 10],
  ['/product/ember-lantern', 11],
  ['/product/moss-blanket', 6],
  ['/category/light', 8],
  ['/planner', 5],
]

export const PRICES = Object.fromEntries(
  PRODUCTS.map((name, index) => [name, [68, 34, 89, 22, 57, 29, 14, 45, 16][index]]),
)

/** Visits by hour of the visitor's day. */
export const HOURS = [2, 1, 1, 1, 1, 2, 4, 7, 9, 10, 10, 11, 12, 10, 9, 9, 10, 11, 13, 15, 16, 14, 9, 5].map(
  (weight, hour) => [hour, weight],
)

export const NAMES = [
  'Ada',
  'Bo',
  'Cleo',
  'Dario',
  'Edda',
  'Finn',
  'Greta',
  'Hugo',
  'Ines',
  'Jonas',
  'Kaya',
  'Lars',
  'Mira',
  'Nils',
  'Oda',
  'Paul',
  'Quinn',
  'Runa',
  'Sami',
  'Tove',
  'Uma',
  'Vito',
  'Wanda',
  'Yara',
  'Zoe',
]
export const PLANS = [
  ['free', 70],
  ['trail', 22],
  ['summit', 8],
]
