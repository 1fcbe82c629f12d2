import { signal } from '@preact/signals'

// Long enough for a slow reader, or a screen reader that is busy with something else.
const SHOW_MS = 10_000
const texts = signal<readonly { readonly id: number; readonly text: string }[]>([])
let count = 0

/** Confirms a completed action in a corner. Errors are shown next to what failed instead. */
export const toast = (text: string): void => {
  const id = ++count
  texts.value = [...texts.value, { id, text }]
  setTimeout(() => (texts.value = texts.value.filter((each) => each.id !== id)), SHOW_MS)
}

export const Toasts = () => (
  <div class="toasts" role="status">
    {texts.value.map(({ id, text }) => (
      <div key={id} class="toast">
        {text}
      </div>
    ))}
  </div>
)
