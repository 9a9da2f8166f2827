subroutine product(n, c, a, b)
  integer :: n
  real(8) :: c(n,n), a(n,n), b(n,n)
  integer :: i, j, k
  do j = 1, n
    do k = 1, n
      do i = 1, n
        c(i,j) = c(i,j) + a(i,k) * b(k,j)
      end do
    end do
  end do
end subroutine
