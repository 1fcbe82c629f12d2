import { useEffect, useState } from 'preact/hooks'
import { search, setSearch } from '../router.ts'
import { useSettled } from './useSettled.ts'

/** A search text that is stored in the URL as a query parameter. The URL changes once typing stops. */
export const useSearchText = (parameter: string): readonly [text: string, setText: (text: string) => void] => {
  const inUrl = search.value.get(parameter) ?? ''
  const [text, setText] = useState(inUrl)
  const settled = useSettled(text)
  // Back, Forward and links change the URL alone.
  useEffect(() => setText(inUrl), [inUrl])
  useEffect(() => setSearch({ [parameter]: settled || undefined }, { replace: true }), [settled])
  return [text, setText]
}
