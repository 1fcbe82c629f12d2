import { useLayoutEffect, useState } from 'preact/hooks'
import type { Tools } from './tools'

interface Loaded<T> {
  data?: T
  /** Why there is no data. */
  error?: string
  isLoading: boolean
}

/** Reads a path of the service, again whenever the parameters change. Without a path nothing is read. */
export const useService = <T>(
  { service }: Tools,
  path: string | undefined,
  parameters: Record<string, string | number | undefined>,
): Loaded<T> => {
  const [loaded, setLoaded] = useState<Loaded<T>>({ isLoading: !!path })
  useLayoutEffect(() => {
    let isCurrent = true
    setLoaded({ isLoading: !!path })
    if (path)
      service.read<T>(path, parameters).then(
        (data) => isCurrent && setLoaded({ data, isLoading: false }),
        (error: Error) => isCurrent && setLoaded({ error: error.message, isLoading: false }),
      )
    return () => {
      isCurrent = false
    }
  }, [path, JSON.stringify(parameters)])
  return loaded
}
