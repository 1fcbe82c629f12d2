import { useRef, useState } from 'preact/hooks'
import { Failure } from '../api/failure.ts'

export interface Mutation<Input, Output> {
  /** Resolves with the output, or `undefined` if it failed; `error` says why. Does nothing while it is running. */
  readonly run: (input: Input) => Promise<Output | undefined>
  readonly isRunning: boolean
  readonly error: Failure | undefined
  readonly clearError: () => void
}

/** State of an action that changes something: whether it is running, and why it failed. */
export const useMutation = <Input = void, Output = unknown>(
  act: (input: Input) => Promise<Output>,
): Mutation<Input, Output> => {
  const [state, setState] = useState<{ isRunning: boolean; error?: Failure }>({ isRunning: false })
  const isRunning = useRef(false)
  const run = async (input: Input): Promise<Output | undefined> => {
    if (isRunning.current) return undefined
    isRunning.current = true
    setState({ isRunning: true })
    try {
      const output = await act(input)
      setState({ isRunning: false })
      return output
    } catch (error) {
      const failure = error instanceof Failure ? error : new Failure(String(error), 'unknown', 0)
      setState({ isRunning: false, error: failure })
      return undefined
    } finally {
      isRunning.current = false
    }
  }
  return { run, ...state, error: state.error, clearError: () => setState({ isRunning: isRunning.current }) }
}
