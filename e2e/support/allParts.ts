import type { Config, Survey } from '../../src/types'
import { expect } from './scenario'
import type { Service } from './service'

/** The configuration of a page that uses every part that loads on demand. */
export const ALL_PARTS: Partial<Config> = {
  capture_dead_clicks: true,
  rageclick: true,
  capture_heatmaps: { flush_interval_milliseconds: 500 },
  capture_performance: { web_vitals: true, web_vitals_attribution: true, web_vitals_delayed_flush_ms: 500 },
  capture_exceptions: {
    capture_unhandled_errors: true,
    capture_unhandled_rejections: true,
    capture_console_errors: true,
  },
  enable_recording_console_log: true,
}

export const QUESTION = 'What can we do better?'

/** Sets a project up for such a page: it records console output, and asks a question. */
export const setUpAllParts = async (project: Service): Promise<void> => {
  const answers = await Promise.all([
    project.api('PATCH', '/remote_config', { sessionRecording: { consoleLogRecordingEnabled: true } }),
    project.api('POST', '/surveys', {
      name: 'Improvements',
      type: 'popover',
      questions: [{ type: 'open', question: QUESTION }],
      start_date: new Date(Date.now() - 60_000).toISOString(),
    } satisfies Partial<Survey>),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 201])
}
