import { readDevice, readPage } from '../../browser/page'
import type { Config, Properties } from '../../types'
import { type Stage, withDefaults } from '../stage'

// Two fragments of up to eight letters and digits: the protocol's own duplicate key beside uuid.
const insertId = () => Math.random().toString(36).slice(2, 10) + Math.random().toString(36).slice(2, 10)

/** What the page and the browser tell (protocol.md §5.3). The browser is read once, the page for each event. */
export const addPage = (config: Pick<Config, 'disable_capture_url_hashes'>, constants: () => Properties): Stage => {
  let device: Properties | undefined
  return (event) =>
    withDefaults(event, {
      ...(device ??= readDevice()),
      ...readPage(config.disable_capture_url_hashes),
      ...constants(),
      $insert_id: insertId(),
      $time: event.timestamp.getTime() / 1000,
    })
}
