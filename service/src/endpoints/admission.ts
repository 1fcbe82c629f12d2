import type { Gate, RunAllowance } from './limits.ts'
import type { Running } from './running.ts'

/** Who runs an endpoint, as far as limits and cancelling go. */
export interface Runner {
  readonly projectId: number
  readonly key: { readonly id: string; readonly label: string }
  /** Less than the key may, if it lends it to somebody. */
  readonly runsPerMinute?: number
  /** What the caller may cancel the run by. */
  readonly clientQueryId?: string | undefined
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal
}

export interface Admission {
  readonly allowance: RunAllowance
  /** Aborted when the caller has gone or has cancelled the run. */
  readonly signal: AbortSignal
  /** Call when the run is over. */
  readonly leave: () => void
}

export interface AdmissionRooms {
  readonly gate: Gate
  readonly running: Running
  /** What the key of this label may take. */
  readonly allowanceOf: (label: string) => RunAllowance
}

/** Lets a run in, or throws `ApiError`. */
export type Admit = (runner: Runner) => Admission

export const createAdmit =
  ({ gate, running, allowanceOf }: AdmissionRooms): Admit =>
  ({ projectId, key, clientQueryId, signal: given, runsPerMinute = Infinity }) => {
    const general = allowanceOf(key.label)
    const allowance = { ...general, perMinute: Math.min(general.perMinute, runsPerMinute) }
    const leaveGate = gate.enter(key.id, allowance)
    try {
      const { signal, end } = running.begin(projectId, clientQueryId, given)
      return {
        allowance,
        signal,
        leave() {
          end()
          leaveGate()
        },
      }
    } catch (error) {
      leaveGate()
      throw error
    }
  }
