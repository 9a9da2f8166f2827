subroutine product(a, b, c)
  real(8) :: a(64,64), b(64,64), c(64,64)
  integer :: i, j, k
  do i = 1, 64
    do j = 1, 64
      do k = 1, 64
        c(i,j) = c(i,j) + a(i,k) * b(k,j)
      end do
    end do
  end do
end subroutine
