import type { Gate, RunAllowance } from './limits.ts'
import type { Running } from './running.ts'

/** The caller of a run: its project, key, limits and cancellation. */
export interface Runner {
  readonly projectId: number
  readonly key: { readonly id: string; readonly label: string }
  /** A limit below the key's own, for a run token. */
  readonly runsPerMinute?: number
  /** Id of the run token. Absent: the caller has a key. */
  readonly runTokenId?: string
  /** The id by which the caller can cancel the run. */
  readonly clientQueryId?: string | undefined
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal
}

export interface Admission {
  readonly allowance: RunAllowance
  /** Aborted when the caller disconnects or cancels the run. */
  readonly signal: AbortSignal
  /** Call when the run is over. */
  readonly leave: () => void
}

export interface AdmissionDependencies {
  readonly gate: Gate
  readonly running: Running
  /** Returns the limits of the key with this label. */
  readonly allowanceOf: (label: string) => RunAllowance
}

/** Admits a run. Throws `ApiError` if the key's limits are used up. */
export type Admit = (runner: Runner) => Admission

export const createAdmit =
  ({ gate, running, allowanceOf }: AdmissionDependencies): Admit =>
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
