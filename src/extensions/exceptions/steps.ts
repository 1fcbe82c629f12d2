import { isoTime } from '../../lib/isoTime'
import type { ErrorTrackingConfig, Properties } from '../../types'

const MAX_BYTES = 32_768
const MAX_STEPS = 100

export type Steps = ReturnType<typeof createSteps>

/** Creates the buffer of steps that the next exception carries. The oldest are dropped beyond the limits. */
export const createSteps = (config: () => ErrorTrackingConfig, toProperties: (value: unknown) => Properties) => {
  let waiting: { step: Properties; size: number }[] = []
  return {
    add: (message: unknown, properties: unknown, at: number): void => {
      const { enabled = true, max_bytes = MAX_BYTES } = config().exception_steps ?? {}
      if (!enabled || typeof message !== 'string' || !message.trim()) return
      const step = toProperties({
        ...(properties as Properties),
        $message: message,
        $timestamp: isoTime(new Date(at)),
      })
      waiting.push({ step, size: JSON.stringify(step).length })
      let size = waiting.reduce((sum, each) => sum + each.size, 0)
      while (waiting.length && (size > max_bytes || waiting.length > MAX_STEPS)) size -= waiting.shift()!.size
    },
    all: (): Properties[] => waiting.map(({ step }) => step),
    clear: (): void => {
      waiting = []
    },
  }
}
