import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Whether an element has been near the visible part of the page. Content that never was is not loaded. */
export const useVisible = (element: RefObject<Element | null>): boolean => {
  const [isVisible, setVisible] = useState(false)
  useEffect(() => {
    if (!element.current || isVisible) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setVisible(true), {
      rootMargin: '200px',
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [isVisible])
  return isVisible
}
