! A product of matrices, which lie in memory column by column.
subroutine matmul_kernel(n, m, l, a, b, c)
  implicit none
  integer, intent(in) :: n, m, l
  double precision, intent(in) :: a(n, l), b(l, m)
  double precision, intent(inout) :: c(n, m)
  integer :: i, j, k
  do i = 1, n
    do j = 1, m
      do k = 1, l
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
end subroutine

program main
  implicit none
  integer, parameter :: n = 70, m = 61, l = 83
  double precision :: a(n, l), b(l, m), c(n, m)
  integer :: i, j
  do j = 1, l
    do i = 1, n
      a(i, j) = dble(mod(i * j + 1, 17)) / 7d0
    end do
  end do
  do j = 1, m
    do i = 1, l
      b(i, j) = dble(mod(i * (j + 2), 19)) / 11d0
    end do
  end do
  c = 0.25d0
  call matmul_kernel(n, m, l, a, b, c)
  do j = 1, m
    do i = 1, n
      write (*, '(z16.16)') c(i, j)
    end do
  end do
end program
