! A product of two matrices. Small integers, so that every sum is exact in any order.
module kernels
  implicit none
  integer, parameter :: n = 500
contains
  subroutine product_of(c, a, b)
    real(8), intent(inout) :: c(n, n)
    real(8), intent(in) :: a(n, n), b(n, n)
    integer :: i, j, k
    do i = 1, n
      do j = 1, n
        do k = 1, n
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine
end module

program main
  use kernels
  implicit none
  real(8), allocatable :: a(:, :), b(:, :), c(:, :)
  integer :: i, j
  allocate (a(n, n), b(n, n), c(n, n))
  do j = 1, n
    do i = 1, n
      a(i, j) = mod(i, 10)
      b(i, j) = mod(j, 7) + 1
    end do
  end do
  c = 0
  call product_of(c, a, b)
  do j = 1, n
    do i = 1, n
      if (c(i, j) /= real(n, 8) * mod(i, 10) * (mod(j, 7) + 1)) then
        print '(a, i0, a, i0, a, g0)', 'c(', i, ', ', j, ') is ', c(i, j)
        error stop
      end if
    end do
  end do
  print '(a)', 'the product is right'
end program
