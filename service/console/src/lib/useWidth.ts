import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Returns the width of an element's content, in CSS px. 0 until it is measured. */
export const useWidth = (element: RefObject<Element | null>): number => {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width))
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [])
  return width
}
