import { useEffect, useState } from 'preact/hooks'

const AFTER_MS = 2_000

/** A button to cancel, which appears when something takes long. */
export const LateCancel = ({ onCancel }: { readonly onCancel: () => void }) => {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return isShown ? (
    <button type="button" class="button" onClick={onCancel}>
      Cancel
    </button>
  ) : null
}
