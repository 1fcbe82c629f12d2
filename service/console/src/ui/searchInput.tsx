import { useSearchText } from '../lib/useSearchText.ts'

/** A search field. Its text is a query parameter of the URL, which follows once typing stops. */
export const SearchInput = ({
  label,
  placeholder,
  parameter = 'search',
  maxLength = 200,
}: {
  readonly label: string
  readonly placeholder: string
  readonly parameter?: string
  readonly maxLength?: number
}) => {
  const [text, setText] = useSearchText(parameter)
  return (
    <input
      class="input search"
      type="search"
      aria-label={label}
      placeholder={placeholder}
      autocomplete="off"
      maxLength={maxLength}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  )
}
