/** What is used of React Router, which needs a newer Node than this repository. The example checks the types. */
declare module 'react-router' {
  export const useLocation: () => { pathname: string }
  export const useNavigationType: () => 'PUSH' | 'REPLACE' | 'POP'
  export const useParams: () => Record<string, string | undefined>
}
