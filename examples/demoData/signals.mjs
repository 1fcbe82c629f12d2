// What the SDK captures besides visits: web vitals, clicks for heatmaps, exceptions, and which flags were read.
import { pick, uuidAt } from './random.mjs'

/** Pages of the generated shop that load slowly, by their share of the usual time. */
const SLOWNESS = { '/': 1.1, '/checkout': 1.7, '/planner': 2.1 }

/** Returns the properties of one metric of `$web_vitals`. */
const vital = (name, value, id) => ({
  [`$web_vitals_${name}_value`]: value,
  [`$web_vitals_${name}_event`]: { name, value, id: `${id} ${name}`, navigationType: 'navigate' },
})

const webVitals = (random, { path, device, id }) => {
  const slow = (SLOWNESS[path] ?? 0.9) * (device === 'Mobile' ? 1.5 : 1) * (0.5 + random() + random() ** 6 * 4)
  return {
    ...vital('FCP', Math.round(900 * slow), id),
    ...vital('LCP', Math.round(1_500 * slow), id),
    ...vital('INP', Math.round(90 * slow), id),
    ...vital('CLS', Math.round(40 * slow * random()) / 1_000, id),
  }
}

/** Clicks on the things of a recorded page, more of them at the top. `page`: its sizes and boxes. */
const heatmapPoints = (random, { vw, vh, ph, targets }) => {
  const weighted = targets.map((target, index) => [target, 1 / (1 + index / 4)])
  const clicks = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const [el, x, y, width, height] = pick(random, weighted)
    const [ex, ey] = [0.2 + random() * 0.6, 0.2 + random() * 0.6]
    const isRage = random() < 0.03
    return {
      type: isRage ? 'rageclick' : 'click',
      el,
      ex,
      ey,
      x: Math.round(x + ex * width),
      y: Math.round(y + ey * height),
    }
  })
  const depth = Math.round(vh + (ph - vh) * Math.min(1, random() * 1.4))
  const points = [
    ...clicks,
    { type: 'scroll', x: 0, y: Math.min(ph, depth), view: Math.floor(random() * 1e9).toString(36) },
  ]
  return points.map((point) => ({ target_fixed: false, vw, vh, ph, ...point }))
}

const frame = (filename, name, lineno, colno, in_app = true) => ({
  platform: 'web:javascript',
  filename: `https://larch-lantern.example/${filename}`,
  function: name,
  lineno,
  colno,
  in_app,
})

/** Errors of the shop, with weights. */
const ERRORS = [
  [
    {
      type: 'TypeError',
      value: "Cannot read properties of undefined (reading 'price')",
      at: ['basket.js', 'sumOf', 41, 18],
    },
    9,
  ],
  [{ type: 'NetworkError', value: 'The payment provider does not respond', at: ['checkout.js', 'pay', 88, 11] }, 6],
  [{ type: 'RangeError', value: 'Invalid time value', at: ['planner.js', 'nightsOf', 120, 27], isHandled: true }, 3],
  [{ type: 'UnhandledRejection', value: 'Loading chunk 7 failed', at: ['runtime.js', 'load', 3, 1204] }, 2],
]

const exception = (random) => {
  const { type, value, at, isHandled = false } = pick(random, ERRORS)
  return {
    $exception_list: [
      {
        type,
        value,
        mechanism: { handled: isHandled, type: isHandled ? 'generic' : 'onerror', synthetic: false },
        stacktrace: {
          type: 'raw',
          frames: [frame('vendor.js', 'dispatch', 1, 9_120, false), frame('shop.js', 'onClick', 12, 5), frame(...at)],
        },
      },
    ],
    $exception_level: 'error',
    $release_id: pick(random, [
      ['4.2.0', 3],
      ['4.1.7', 1],
    ]),
  }
}

/**
 * Yields what the SDK captures besides a page view. `capture` makes an event of the visit. `pages`: sizes and boxes of recorded
 * pages by path.
 */
export function* pageSignals({ random, path, device, capture, pages, isRecent }) {
  const id = Math.floor(random() * 1e9).toString(36)
  if (random() < 0.25) yield capture('$web_vitals', webVitals(random, { path, device, id }))
  if (random() < 0.006) yield capture('$exception', exception(random))
  // The map of a page has the points of at most the last weeks.
  if (isRecent && pages[path] && random() < 0.2)
    yield capture('$$heatmap', {
      $heatmap_data: { [`https://larch-lantern.example${path}`]: heatmapPoints(random, pages[path]) },
    })
}

const REMARKS = [
  ['The checkout is quick.', 4],
  ['I missed a way to pay later.', 3],
  ['Please ship to Iceland.', 1],
  ['The lantern is lovely, the manual is not.', 2],
  ['', 6],
]

/** Yields how a visitor saw and answered the survey, or closed it. Its questions: a score from 0 to 10, a choice, a remark. */
export function* surveyEvents({ random, capture, survey }) {
  const about = { $survey_id: survey.id, $survey_name: survey.name }
  yield capture('survey shown', about)
  if (random() < 0.35) return yield capture('survey dismissed', { ...about, $survey_partially_completed: false })
  const [score, found, remark] = survey.questions
  const answers = [
    [score, Math.min(10, Math.floor(4 + random() ** 0.6 * 7))],
    [
      found,
      pick(random, [
        ['A search', 5],
        ['A friend', 3],
        ['The newsletter', 2],
        ['The journal', 1],
      ]),
    ],
    [remark, pick(random, REMARKS)],
  ]
  return yield capture('survey sent', {
    ...about,
    $survey_submission_id: uuidAt(random, 0),
    $survey_completed: true,
    $survey_questions: answers.map(([{ id, question }, response]) => ({ id, question, response })),
    ...Object.fromEntries(answers.map(([{ id }, response]) => [`$survey_response_${id}`, response])),
  })
}
