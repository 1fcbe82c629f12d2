// The page "Behind the counter": errors on request, the state of the recording, and the page's web vitals.

const FAILURES = {
  throw: () => {
    throw new RangeError('The scales show less than nothing')
  },
  reject: () => void Promise.reject(new Error('The courier did not come')),
  report: () => {
    analytics.addExceptionStep('Opened the till')
    try {
      JSON.parse('{"total": 12,')
    } catch (error) {
      analytics.captureException(error, { counter: 'front' })
    }
  },
}
document.addEventListener('click', ({ target }) => FAILURES[target.closest('[data-fail]')?.dataset.fail]?.())

const recording = document.getElementById('recording')
let wasOn
const showRecording = () => {
  const isOn = analytics.sessionRecordingStarted?.() === true
  if (isOn === wasOn) return
  wasOn = isOn
  const link = document.createElement('a')
  link.textContent = 'Watch this visit'
  if (isOn) link.href = `${recording.dataset.recordings}/${analytics.get_session_id()}`
  recording.replaceChildren(...(isOn ? ['This visit is recorded. ', link] : ['This visit is not recorded.']))
}
showRecording()
setInterval(showRecording, 1000)

const METRICS = { LCP: 'ms', FCP: 'ms', INP: 'ms', TTFB: 'ms', CLS: '' }
const vitals = document.getElementById('vitals')
const values = {}
const showVitals = ({ event, properties }) => {
  if (event !== '$web_vitals') return
  for (const name of Object.keys(METRICS)) {
    const metric = properties[`$web_vitals_${name}_event`]
    if (metric) values[name] = metric
  }
  vitals.replaceChildren(
    ...Object.entries(values).map(([name, { value, rating }]) => {
      const [row, term, text] = ['div', 'dt', 'dd'].map((tag) => document.createElement(tag))
      term.textContent = name
      text.textContent = `${METRICS[name] ? Math.round(value) : value.toFixed(3)} ${METRICS[name]} · ${rating}`
      row.append(term, text)
      return row
    }),
  )
}
analytics.on('eventCaptured', showVitals)
