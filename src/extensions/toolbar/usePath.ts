import { useLayoutEffect, useState } from 'preact/hooks'
import type { ToolbarParts } from '../../host'

/** Returns the path of the page, also after same-document navigations. */
export const usePath = ({ onNavigate }: Pick<ToolbarParts, 'onNavigate'>): string => {
  const [path, setPath] = useState(location.pathname)
  useLayoutEffect(() => onNavigate(() => setPath(location.pathname)), [])
  return path
}
