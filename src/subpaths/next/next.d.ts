/** What is used of Next. Its package is too large to be installed for types only; the example checks them. */
declare module 'next/navigation.js' {
  export const usePathname: () => string | null
  export const useParams: <T>() => T | null
}
declare module 'next/router.js' {
  export const useRouter: () => { asPath: string; pathname: string }
}
