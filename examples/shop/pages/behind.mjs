import { html } from '../server/html.mjs'
import { icon } from '../views/art.mjs'

const PATH = '/behind'

/** A card for one feature beyond events, with a way to try it. `page`: the page of the console that shows its data. */
const card = ({ title, text, page, body }, trailmark) =>
  html`<section class="counter">
    <h2>${title}</h2>
    <p>${text}</p>
    ${body}
    <p class="actions"><a href="${trailmark.consoleUrl(page)}">In the console ${icon('arrow')}</a></p>
  </section>`

const recordingForm = (isOn) =>
  html`<form method="post" action="${PATH}/recording">
    <input type="hidden" name="on" value="${isOn ? '' : 'yes'}" />
    <button class="button quiet" id="record">${isOn ? 'Stop recording visits' : 'Record visits'}</button>
  </form>`

/** Session recording, exceptions, web vitals, heatmaps, surveys and the toolbar. behind.js makes the page work. */
export const behindPage = async ({ trailmark }) => {
  const isRecording = await trailmark.recordsSessions()
  const cards = [
    {
      title: 'Recording',
      page: 'recordings',
      text: isRecording
        ? 'Visits are recorded. What people type is masked.'
        : 'Recording is a setting of the project. It is off.',
      body: html`<p id="recording" data-recordings="${trailmark.consoleUrl('recordings')}" aria-live="polite"></p>
        ${recordingForm(isRecording)}`,
    },
    {
      title: 'Exceptions',
      page: 'errors',
      text: 'Errors that nobody caught, and those that the shop reports itself. Each becomes an issue.',
      body: html`<p class="actions">
        <button class="button quiet" data-fail="throw">Throw an error</button>
        <button class="button quiet" data-fail="reject">Reject a promise</button>
        <button class="button quiet" data-fail="report">Catch and report</button>
      </p>`,
    },
    {
      title: 'Web vitals',
      page: 'vitals',
      text: 'How fast this page was for you. Known after five seconds, or when you leave.',
      body: html`<dl class="facts" id="vitals"></dl>`,
    },
    {
      title: 'Heatmaps',
      page: 'heatmaps',
      text: 'Where people click, where they rest the pointer, and how far they scroll. This button does nothing: click it once for a dead click, or three times quickly for a rage click.',
      body: html`<p><button class="button quiet" type="button">Does nothing</button></p>`,
    },
    {
      title: 'Surveys',
      page: 'surveys',
      text: 'After an order, the shop asks each visitor once how it went.',
      body: html`<p class="actions"><a class="button quiet" href="/">Order something</a></p>`,
    },
    {
      title: 'Toolbar',
      page: 'settings?tab=toolbar',
      text: 'For the people who run the shop: what each element sends, the flags, and the heatmap on the page itself.',
      body: html`<form method="post" action="${PATH}/toolbar">
        <button class="button quiet">Open the toolbar</button>
      </form>`,
    },
  ]
  return {
    title: 'Behind the counter',
    scripts: ['/behind.js'],
    body: html` <div class="wide block">
      <header class="heading">
        <h1>Behind the counter</h1>
        <p class="lead">What Trailmark sees beyond events. The panel at the bottom right shows each as it is sent.</p>
      </header>
      <div class="cards two">${cards.map((each) => card(each, trailmark))}</div>
    </div>`,
  }
}

export const changeRecording = async ({ trailmark, form }) => {
  await trailmark.recordSessions(form.get('on') === 'yes')
  return { redirect: PATH }
}

export const openToolbar = async ({ trailmark, origin }) => ({ redirect: await trailmark.openToolbar(origin, PATH) })
